// The engine's worker, from the npm package: UCI lines in, UCI lines out.

export function startEngineWorker(): Worker {
  return new Worker(new URL('../../npm/worker.js', import.meta.url), { type: 'module' });
}
