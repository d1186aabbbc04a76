// A button that asks once more in its own place; the question goes away after some seconds.

import { useEffect, useState } from 'preact/hooks';
import type { IconName } from './icons';
import { IconButton } from './IconButton';

/** The question takes the place of a button that may have had the focus. */
const focus = (button: HTMLButtonElement | null): void => button?.focus();

interface Props {
  icon?: IconName;
  name: string;
  /** None when nothing would be lost. */
  question: string | null;
  onSure(): void;
}

export function SureButton({ icon, name, question, onSure }: Props) {
  const [asks, setAsks] = useState(false);
  useEffect(() => {
    if (!asks) return;
    const timer = setTimeout(() => setAsks(false), 4000);
    return () => clearTimeout(timer);
  }, [asks]);
  const sure = () => {
    setAsks(false);
    onSure();
  };
  const first = question ? () => setAsks(true) : sure;
  if (asks) {
    return (
      <button key="question" ref={focus} type="button" class="button danger" onClick={sure}>
        {question}
      </button>
    );
  }
  if (icon) return <IconButton icon={icon} name={name} text onClick={first} />;
  return (
    <button type="button" class="button small" onClick={first}>
      {name}
    </button>
  );
}
