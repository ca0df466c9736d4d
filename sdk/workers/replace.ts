import type { Self } from '../self.ts';

/**
 * In sandbox isolation a page has an opaque origin, so browsers refuse to start a worker from a file, which has another
 * origin. Here the worker starts from a data: URL that loads `prepare.ts` and then the file. Shared workers cannot start.
 */
export function replaceRefusedWorker({ scripts }: Self): void {
  window.Worker = class Worker extends window.Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      const { href, protocol } = new URL(url, document.baseURI);
      const first = `${scripts}/worker.js`;
      const code =
        options?.type === 'module'
          ? `import"${first}";import"${href}"`
          : `importScripts("${first}","${href}")`;
      // The fragment tells it where the file is.
      const start = `data:text/javascript,${encodeURIComponent(code)}#${href}`;
      super(protocol.startsWith('http') ? start : url, options);
    }
  };
}
