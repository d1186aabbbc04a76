// The position as a table that only screen readers see, rank by rank.

import { piecesOf } from '../game/squares';
import { strings } from '../strings';
import type { Key } from '../clients/types';
import { files, pieceName, ranks } from './describe';

export function PositionTable({ fen }: { fen: string }) {
  const pieces = piecesOf(fen);
  return (
    <div class="hidden">
      <table class="position">
        <caption>{strings.position.caption}</caption>
        <thead>
          <tr>
            <td />
            {files.map((file) => (
              <th key={file} scope="col">
                {file}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ranks.map((rank) => (
            <tr key={rank}>
              <th scope="row">{strings.position.rank(rank)}</th>
              {files.map((file) => (
                <td key={file}>{pieceName(pieces.get(`${file}${rank}` as Key))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
