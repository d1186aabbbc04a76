// A button with an icon and a name for screen readers and as a tooltip.

import { Icon, type IconName } from './icons';

interface Props {
  icon: IconName;
  name: string;
  disabled?: boolean;
  pressed?: boolean;
  text?: boolean;
  onClick(): void;
}

export function IconButton({ icon, name, disabled, pressed, text, onClick }: Props) {
  return (
    <button
      type="button"
      class="icon-button"
      title={name}
      aria-label={name}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
      {text && <span>{name}</span>}
    </button>
  );
}
