// White's expected score after each move of the main line; a click goes to the move.

import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { expected } from '../clients/info';
import { run } from '../game/SessionBoard';
import type { Session } from '../game/session';
import { settings } from '../state/settings';
import { strings } from '../strings';
import { markOf } from '../game/MoveTree';
import type { Node } from '../game/tree';

const height = 82;
const colors: Record<string, string> = { '?!': '#56b4e9', '?': '#e69f00', '??': '#d55e5e' };

export function Graph({ session }: { session: Session }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const line = useRef<Node[]>([]);
  const tree = session.tree.value;
  const version = tree.version.value;
  const { theme } = settings.value;
  const nodes = tree.mainLine();
  line.current = nodes;
  const known = nodes.filter((node) => node.evaluation).length;

  useEffect(() => {
    const element = box.current;
    if (!element || known < 2) return;
    plot.current = new uPlot(options(element, session, line), dataOf(line.current), element);
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [tree, theme, known >= 2]);

  useEffect(() => plot.current?.setData(dataOf(line.current)), [version]);
  useEffect(() => plot.current?.redraw(), [session.node.value]);

  return known < 2 ? null : <div ref={box} class="graph" role="img" aria-label={strings.review.graph} />;
}

function dataOf(nodes: readonly Node[]): uPlot.AlignedData {
  const plies = nodes.map((_, index) => index);
  const scores = nodes.map((node) => (node.evaluation ? expected(node.evaluation.wdl) : null));
  return [plies, scores];
}

function options(element: HTMLElement, session: Session, line: { current: Node[] }): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const ink = color('--ink');
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
    scales: { x: { time: false }, y: { range: [0, 1] } },
    axes: [{ show: false }, { show: false }],
    series: [
      {},
      { stroke: color('--graph-line'), fill: color('--graph-fill'), width: 2, spanGaps: true, points: { show: false } },
    ],
    hooks: {
      draw: [
        (u) => {
          drawMiddle(u, ink);
          drawCurrent(u, line.current.indexOf(session.node.value), ink);
          drawMarks(u, line.current);
        },
      ],
      ready: [
        (u) =>
          u.over.addEventListener('click', () => {
            const node = line.current[u.cursor.idx ?? -1];
            if (node) run(session.goTo(node));
          }),
      ],
    },
  };
}

function drawMiddle(u: uPlot, ink: string): void {
  const y = u.valToPos(0.5, 'y', true);
  u.ctx.save();
  u.ctx.globalAlpha = 0.35;
  u.ctx.fillStyle = ink;
  u.ctx.fillRect(u.bbox.left, y, u.bbox.width, 1);
  u.ctx.restore();
}

function drawCurrent(u: uPlot, index: number, ink: string): void {
  if (index < 0) return;
  u.ctx.save();
  u.ctx.globalAlpha = 0.7;
  u.ctx.fillStyle = ink;
  u.ctx.fillRect(u.valToPos(index, 'x', true), u.bbox.top, 2, u.bbox.height);
  u.ctx.restore();
}

function drawMarks(u: uPlot, nodes: readonly Node[]): void {
  for (const [index, node] of nodes.entries()) {
    const color = colors[markOf(node)];
    if (!color || !node.evaluation) continue;
    // uPlot remembers its own colours and does not set them again.
    u.ctx.save();
    u.ctx.beginPath();
    const radius = 4 * devicePixelRatio;
    u.ctx.arc(u.valToPos(index, 'x', true), u.valToPos(expected(node.evaluation.wdl), 'y', true), radius, 0, 7);
    u.ctx.fillStyle = color;
    u.ctx.fill();
    u.ctx.restore();
  }
}
