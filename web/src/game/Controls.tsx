// Buttons for going through the moves, turning the board and the danger map.

import type { ComponentChildren } from 'preact';
import { strings } from '../strings';
import { IconButton } from '../ui/IconButton';
import { run } from './SessionBoard';
import type { Session } from './session';
import { lastOf, type Node } from './tree';

export type Step = 'first' | 'previous' | 'next' | 'last';

export function step(session: Session, where: Step): void {
  const target = stepTarget(session, where);
  if (target) run(session.goTo(target));
}

function stepTarget(session: Session, where: Step): Node | null | undefined {
  const node = session.heading;
  if (where === 'first') return session.tree.value.root;
  if (where === 'previous') return node.parent;
  if (where === 'next') return node.children[0];
  return lastOf(node);
}

interface Toggle {
  pressed: boolean;
  disabled?: boolean;
  toggle(): void;
}

interface Props {
  session: Session;
  /** Only in the analysis. */
  threat?: Toggle;
  pen?: Toggle;
  /** More controls, in a row of their own. */
  children?: ComponentChildren;
}

export function Controls({ session, threat, pen, children }: Props) {
  void session.tree.value.version.value;
  const node = session.node.value;
  const back = !node.parent;
  const forward = !node.children.length;
  const { controls } = strings;
  return (
    <div class="controls" role="toolbar" aria-label={controls.label}>
      <IconButton icon="first" name={controls.first} disabled={back} onClick={() => step(session, 'first')} />
      <IconButton icon="previous" name={controls.previous} disabled={back} onClick={() => step(session, 'previous')} />
      <IconButton icon="next" name={controls.next} disabled={forward} onClick={() => step(session, 'next')} />
      <IconButton icon="last" name={controls.last} disabled={forward} onClick={() => step(session, 'last')} />
      <IconButton icon="flip" name={controls.flip} onClick={() => session.flip()} />
      <IconButton
        icon="danger"
        name={controls.danger}
        pressed={session.danger.value}
        onClick={() => (session.danger.value = !session.danger.value)}
      />
      {threat && (
        <IconButton
          icon="threat"
          name={controls.threat}
          pressed={threat.pressed}
          disabled={threat.disabled}
          onClick={threat.toggle}
        />
      )}
      {pen && <IconButton icon="pen" name={controls.pen} pressed={pen.pressed} onClick={pen.toggle} />}
      {children}
    </div>
  );
}
