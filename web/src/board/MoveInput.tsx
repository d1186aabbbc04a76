// The field that takes moves as text: e4, Nf3, g1f3. A capture that is typed shows its blast.

import { useEffect, useRef, useState } from 'preact/hooks';
import { strings } from '../strings';
import { announce } from '../ui/notice';
import type { LegalMove } from '../clients/types';

interface Props {
  /** It is not the person's turn. A disabled field would lose the focus, and keys would become shortcuts. */
  waiting: boolean;
  /** The moves that the text can mean; an error says what is wrong with it. */
  read(text: string): Promise<LegalMove[]>;
  /** What "?N" and the like ask about the position. */
  answer(question: string): string;
  onPreview(move: LegalMove | null): void;
  onMoves(moves: LegalMove[]): void;
  /** Takes squares to draw on instead of moves; an error says what is wrong with the text. */
  onDraw: ((squares: string) => void) | null;
}

export function MoveInput({ waiting, answer, read, onPreview, onMoves, onDraw }: Props) {
  const [error, setError] = useState('');
  const [answered, setAnswered] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const isDrawing = onDraw !== null;
  const isClosed = waiting && !isDrawing;
  const empty = () => field.current && (field.current.value = '');

  useEffect(() => {
    setError('');
    // What was typed after the person's move would stand before the next one.
    if (waiting) empty();
  }, [waiting, isDrawing]);

  const ask = (question: string) => {
    const words = answer(question);
    setAnswered(words);
    announce(words);
    empty();
  };

  const typed = async (text: string) => {
    setError('');
    setAnswered('');
    if (text.trim().length < 2 || text.startsWith('?') || waiting || isDrawing) return onPreview(null);
    try {
      const [move] = await read(text.trim());
      if (field.current?.value === text && document.activeElement === field.current) onPreview(move ?? null);
    } catch {
      onPreview(null);
    }
  };

  const submit = async (event: Event) => {
    event.preventDefault();
    const text = field.current?.value ?? '';
    if (text.trim().startsWith('?')) return ask(text.trim());
    if (!text.trim() || isClosed) return;
    try {
      const moves = onDraw ? onDraw(text.trim()) : await read(text.trim());
      empty();
      if (moves) onMoves(moves);
    } catch (wrong) {
      setError(wrong instanceof Error ? wrong.message : String(wrong));
    }
  };

  return (
    <form class="move-input" onSubmit={submit}>
      <input
        ref={field}
        id="move-input"
        type="text"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-label={isDrawing ? strings.drawing.input : strings.moveInput}
        aria-invalid={error !== ''}
        aria-describedby="move-input-error"
        placeholder={isDrawing ? strings.drawing.inputPlaceholder : strings.moveInputPlaceholder}
        readOnly={isClosed}
        onInput={(event) => void typed(event.currentTarget.value)}
        onFocus={(event) => void typed(event.currentTarget.value)}
        onBlur={() => onPreview(null)}
      />
      <output id="move-input-error" class="error">
        {error}
      </output>
      {answered && <span class="answer">{answered}</span>}
    </form>
  );
}
