// The first bytes of atomic Syzygy tables: a table of ordinary chess may have the name of an atomic
// one, and would answer wrongly.

const magic: Record<string, readonly number[]> = {
  atbw: [0x55, 0x8d, 0xa4, 0x49],
  atbz: [0x91, 0xa9, 0x5e, 0xeb],
};

/** True for everything that is no table by its name. */
export function hasItsMagic(name: string, bytes: Uint8Array): boolean {
  const wanted = magic[name.split('.').at(-1)?.toLowerCase() ?? ''];
  return !wanted || wanted.every((byte, index) => bytes[index] === byte);
}
