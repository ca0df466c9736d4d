import { type ThreadReply, toProblem } from '../../lib/threads.ts';
import { inspect } from './inspect/inspect-bundle.ts';
import { PackageError } from './packages/package-error.ts';
import { pickVersion, readVersion } from './packages/packument.ts';
import { unpackPackage } from './packages/unpack.ts';
import { finishOutput, locatePlace, mapStacks } from './source-map.ts';
import type { Order, Reply, Task, Tasks } from './threads.ts';
import { usesUninitialised } from './uninitialised.ts';

declare const self: Worker;

/** A thread of the compiler. Does one thing at a time. */
self.onmessage = async ({ data }: MessageEvent<Order>) => {
  try {
    send({ result: await run(data) });
  } catch (error) {
    if (!(error instanceof PackageError)) return send(toProblem(error));
    const { message, isOurs, specifier } = error;
    send({ refused: { message, isOurs, specifier } });
  }
};

function run(order: Order): Tasks[Task]['reply'] | Promise<Tasks[Task]['reply']> {
  switch (order.task) {
    case 'pick':
      return pickVersion(order.name, order.file, order.range);
    case 'readVersion':
      return readVersion(order.name, order.file, order.version);
    case 'unpack':
      return unpackPackage(order);
    case 'finish':
      return finish(order);
    case 'inspect':
      return inspect(order);
    case 'mapStacks':
      return mapStacks(order.sourceMap, order.texts);
    case 'locate':
      return locatePlace(order.sourceMap, order.line, order.column);
  }
}

function finish({ output, packages, maxBundleBytes }: Tasks['finish']['order']): Tasks['finish']['reply'] {
  const finished = finishOutput(output, packages, maxBundleBytes);
  return { ...finished, isFaulty: usesUninitialised(finished.bundle) };
}

function send(reply: ThreadReply<Reply>): void {
  self.postMessage(reply);
}
