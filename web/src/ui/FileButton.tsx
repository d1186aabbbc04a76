// A button that opens the system's dialog for one file.

import { useRef } from 'preact/hooks';

interface FileButtonProps {
  name: string;
  /** Endings and types of the files, as the attribute of an input has them. */
  accept: string;
  onFile(file: File): void;
}

export function FileButton({ name, accept, onFile }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="button" onClick={() => input.current?.click()}>
        {name}
      </button>
      <input
        ref={input}
        type="file"
        class="hidden"
        tabIndex={-1}
        aria-hidden="true"
        accept={accept}
        onChange={(event) => {
          const chosen = event.currentTarget.files?.[0];
          // The same file can be opened again.
          event.currentTarget.value = '';
          if (chosen) onFile(chosen);
        }}
      />
    </>
  );
}
