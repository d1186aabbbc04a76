// The rules as positions with a task: one session, the lesson that is open and how its move did.

import { batch, signal } from '@preact/signals';
import type { LegalMove } from '../clients/types';
import { Session } from '../game/session';
import { strings } from '../strings';
import { announce } from '../ui/notice';
import { lessons, type Lesson } from './lessons';

export class Rules {
  readonly session = new Session();
  readonly index = signal(0);
  readonly state = signal<'open' | 'right' | 'wrong'>('open');

  /** The lesson with this number from 1; the first one for any other text. */
  async open(number: string | null): Promise<void> {
    const index = Number(number) - 1;
    const lesson = lessons[index] ?? (lessons[0] as Lesson);
    await this.session.reset({ variant: 'atomic', fen: lesson.fen, chess960: false });
    batch(() => {
      this.index.value = lessons.indexOf(lesson);
      this.state.value = 'open';
    });
  }

  get lesson(): Lesson {
    return lessons[this.index.value] as Lesson;
  }

  async try(move: LegalMove): Promise<void> {
    const { solutions, id } = this.lesson;
    const right = solutions ? solutions.includes(move.uci) : move.endsGame !== null;
    await this.session.play(move);
    this.state.value = right ? 'right' : 'wrong';
    announce(right ? strings.rules.lessons[id].done : strings.rules.wrong(move.san));
  }

  async again(): Promise<void> {
    await this.open(String(this.index.value + 1));
  }
}
