import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as typescript from 'typescript-5';

// The generator uses the compiler's JavaScript API, which TypeScript 7 no longer has.
Bun.plugin({
  name: 'typescript for the generator of types',
  setup: (build) => void build.module('typescript', () => ({ exports: typescript, loader: 'object' })),
});

const TSC = join(import.meta.dir, '../../../node_modules/.bin/tsc');

/** The types of an API as a client would generate them. */
export async function generateTypes(document: unknown): Promise<string> {
  const { astToString, default: generate } = await import('openapi-typescript');
  return astToString(await generate(document as Parameters<typeof generate>[0]));
}

/** Compiles a program with the types of an API in `api.ts`, and returns the errors. */
export async function compileClient(types: string, program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quire-client-'));
  try {
    await Bun.write(join(folder, 'api.ts'), types);
    await Bun.write(join(folder, 'program.ts'), program);
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'esnext'];
    const compiler = Bun.spawn([TSC, ...options, '--moduleResolution', 'bundler', 'program.ts'], {
      cwd: folder,
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const output = await new Response(compiler.stdout).text();
    return (await compiler.exited) === 0 ? '' : output || 'the compiler failed';
  } finally {
    await rm(folder, { recursive: true });
  }
}
