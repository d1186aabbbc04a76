// One of a few values, as a row of buttons (radio buttons underneath).

interface Props<T extends string> {
  name: string;
  label: string;
  options: Record<T, string>;
  value: T;
  onChange(value: T): void;
}

export function Choice<T extends string>({ name, label, options, value, onChange }: Props<T>) {
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      <div class="segments">
        {(Object.entries(options) as [T, string][]).map(([key, text]) => (
          <label key={key}>
            <input type="radio" name={name} value={key} checked={key === value} onChange={() => onChange(key)} />
            <span>{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
