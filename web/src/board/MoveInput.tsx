// The field that takes moves as text: e4, Nf3, g1f3. A capture that is typed shows its blast.

import { useEffect, useRef, useState } from 'preact/hooks';
import { strings } from '../strings';
import type { LegalMove } from '../clients/types';

interface Props {
  disabled: boolean;
  read(text: string): Promise<LegalMove>;
  onPreview(move: LegalMove | null): void;
  onMove(move: LegalMove): void;
}

export function MoveInput({ disabled, read, onPreview, onMove }: Props) {
  const [error, setError] = useState('');
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => setError(''), [disabled]);

  const typed = async (text: string) => {
    setError('');
    if (text.trim().length < 2) return onPreview(null);
    try {
      const move = await read(text);
      if (field.current?.value === text && document.activeElement === field.current) onPreview(move);
    } catch {
      onPreview(null);
    }
  };

  const submit = async (event: Event) => {
    event.preventDefault();
    const text = field.current?.value ?? '';
    if (!text.trim()) return;
    try {
      onMove(await read(text));
      if (field.current) field.current.value = '';
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
        aria-label={strings.moveInput}
        aria-invalid={error !== ''}
        aria-describedby="move-input-error"
        placeholder={strings.moveInputPlaceholder}
        disabled={disabled}
        onInput={(event) => void typed(event.currentTarget.value)}
        onFocus={(event) => void typed(event.currentTarget.value)}
        onBlur={() => onPreview(null)}
      />
      <output id="move-input-error" class="error">
        {error}
      </output>
    </form>
  );
}
