// The analysis as a document: kept on this device under a name, with undo for everything that
// replaces or deletes.
// Invariant: what is on the board is kept within a second, and each step of `past` brings back
// exactly what was there before it.

import { batch, effect, signal } from '@preact/signals';
import type { Side } from '../clients/types';
import { report, type Session } from '../game/session';
import { readTree, storeTree, type StoredTree } from '../game/stored';
import { movesTo } from '../game/tree';
import { TabDocument, type Dated } from '../state/document';
import { strings } from '../strings';
import { notify } from '../ui/notice';

export interface KeptAnalysis extends Dated {
  name: string;
  /** Whether the person has added something that a file or a link does not have. */
  isEdited: boolean;
  tags: [string, string][];
  orientation: Side;
  tree: StoredTree;
}

interface Step {
  what: string;
  back(): Promise<void>;
}

const pastLength = 50;
const saveDelay = 800;
const text = strings.work;

export class Work {
  readonly name = signal('');
  /** Tags of the game. */
  readonly tags = signal<[string, string][]>([]);
  readonly past = signal<readonly Step[]>([]);
  readonly #session: Session;
  readonly #document = new TabDocument<KeptAnalysis>('analysis');
  #isEdited = false;
  #timer = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Shows what this tab had before a reload; false when there was nothing. */
  async open(): Promise<boolean> {
    const kept = await this.#document.restore();
    try {
      if (kept) await this.#show(kept);
    } catch {
      // Kept by a version that this one cannot read.
      return false;
    }
    return kept !== undefined;
  }

  /** From now on the board is kept. */
  keep(): void {
    effect(() => {
      const { tree, node, orientation } = this.#session;
      void [tree.value.version.value, node.value, orientation.value, this.tags.value, this.name.value];
      this.#timer ||= window.setTimeout(() => this.#save(), saveDelay);
    });
    // While it is captured, before the document releases its lock.
    window.addEventListener('pagehide', () => this.#timer && this.#save(), { capture: true });
  }

  /**
   * Shows another game in a new document, or in one that is kept; when it fails, nothing changes.
   * A replacement that the person has not asked for has no name.
   */
  async replace(what: string | null, show: () => Promise<void>, id?: string): Promise<void> {
    const before = this.#snapshot();
    const { id: old } = this.#document;
    const hadNothing = this.#isBlank;
    this.#save();
    await show();
    await this.#leave(id);
    if (id === undefined) {
      this.name.value = '';
      this.#isEdited = false;
    }
    this.#save();
    if (!hadNothing) this.#offer({ what: what ?? text.replaced, back: () => this.#backTo(before, old) });
    else if (what) notify(what);
  }

  /** Changes the analysis; a change with a name can be undone. */
  edit(what: string | null, change: () => void): void {
    const before = this.#snapshot();
    const { id } = this.#document;
    change();
    this.#isEdited = true;
    this.#save();
    if (what !== null) this.#offer({ what, back: () => this.#backTo(before, id) });
  }

  async undo(): Promise<void> {
    const step = this.past.value.at(-1);
    if (!step) return;
    this.past.value = this.past.value.slice(0, -1);
    await step.back();
    notify(text.undone);
  }

  /** The other analyses on this device, the latest first. */
  async others(): Promise<{ id: string; kept: KeptAnalysis }[]> {
    return (await this.#document.all()).filter(({ id }) => id !== this.#document.id);
  }

  async openKept(id: string, kept: KeptAnalysis): Promise<void> {
    await this.replace(text.opened(nameOf(kept)), () => this.#show(kept), id);
  }

  async removeKept(id: string, kept: KeptAnalysis): Promise<void> {
    await this.#document.remove(id);
    this.#offer({ what: text.removed(nameOf(kept)), back: () => this.#document.putBack(id, kept) });
  }

  /** Nothing has been done on the board. */
  get #isBlank(): boolean {
    const { start, root } = this.#session.tree.peek();
    return !start.fen && !root.children.length && !root.comment && !root.shapes.length;
  }

  #offer(step: Step): void {
    this.past.value = [...this.past.value, step].slice(-pastLength);
    notify(step.what, { name: text.undo, act: () => void this.undo().catch(report) });
  }

  async #backTo(kept: KeptAnalysis, id: string): Promise<void> {
    await this.#show(kept);
    if (id !== this.#document.id) await this.#leave(id);
    this.#save();
  }

  /** What came from a file or a link and was not changed is not kept. */
  async #leave(id?: string): Promise<void> {
    if (!this.#isEdited) await this.#document.remove();
    await this.#document.become(id);
  }

  async #show(kept: KeptAnalysis): Promise<void> {
    const { tree, shown } = readTree(kept.tree);
    const info = await this.#session.describe(tree.start, movesTo(shown));
    batch(() => {
      this.#session.use(tree, shown, info);
      this.#session.orientation.value = kept.orientation;
      this.tags.value = kept.tags;
      this.name.value = kept.name;
    });
    this.#isEdited = kept.isEdited;
  }

  #snapshot(): KeptAnalysis {
    const { tree, node, orientation } = this.#session;
    return {
      at: Date.now(),
      name: this.name.peek(),
      isEdited: this.#isEdited,
      tags: this.tags.peek(),
      orientation: orientation.peek(),
      tree: storeTree(tree.peek(), node.peek()),
    };
  }

  #save(): void {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (!this.#isBlank || this.#isEdited) void this.#document.save(this.#snapshot());
  }
}

/** Its own name, the players, or its first moves. */
export function nameOf({ name, tags, tree }: KeptAnalysis): string {
  const tag = (wanted: string) => tags.find(([key]) => key === wanted)?.[1];
  const [white, black] = [tag('White'), tag('Black')];
  if (name) return name;
  if (white && black && white !== '?') return strings.share.gameName(white, black);
  const moves: string[] = [];
  for (let place: number | undefined = 0; moves.length < 6; ) {
    const above: number = place;
    place = tree.nodes.findIndex(({ parent }) => parent === above);
    const node = tree.nodes[place];
    if (!node) break;
    moves.push(node.san);
  }
  return moves.join(' ') || tree.fen;
}
