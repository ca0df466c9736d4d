import { phrase } from '../../../contract/rules/texts/fill.ts';
import { createFairQueue } from '../../lib/fair-queue.ts';
import { createSemaphore } from '../../lib/queues.ts';
import { createThreads, type Threads } from '../../lib/threads.ts';
import type { Inspection, InspectOrder } from './inspect/inspect-bundle.ts';
import { PackageError } from './packages/package-error.ts';
import type { PackageTasks } from './packages/packages.ts';
import type { Manifest } from './packages/packument.ts';
import type { Unpacked, UnpackOrder } from './packages/unpack.ts';
import type { ModuleLocation } from './source.ts';
import type { Output } from './source-map.ts';

/** What a thread can be asked, and its replies. */
export interface Tasks extends PackageTasks {
  finish: {
    order: { output: Uint8Array; packages: string[]; maxBundleBytes: number };
    reply: Output;
  };
  inspect: { order: InspectOrder; reply: Inspection };
  mapStacks: { order: { sourceMap: string; texts: string[] }; reply: string[] };
  locate: { order: { sourceMap: string; line: number; column: number }; reply: ModuleLocation | undefined };
}
export type Task = keyof Tasks;
export type Order<Kind extends Task = Task> = { [Each in Kind]: { task: Each } & Tasks[Each]['order'] }[Kind];
export type Reply =
  | { result: Tasks[Task]['reply'] }
  | { refused: { message: string; isOurs: boolean; specifier: string | undefined } };

/** Threads for work that needs megabytes of memory and many milliseconds. */
const WIDTH = 2;
const MAX_WAITING = 200;
/** Threads for stacks, so that stacks do not wait for deploys, nor deploys for stacks. */
const STACKS_WIDTH = 1;
/** The map of a large bundle needs hundreds of megabytes while it is read. */
const FINISH_WIDTH = 1;

type InTurn = (task: () => Promise<Reply>) => Promise<Reply>;
const tooMany = () => new PackageError('Too many functions are being deployed.', true);

export class BundlerThreads {
  private readonly deploysInTurn = createSemaphore(WIDTH, MAX_WAITING);
  /** Fair, because a large bundle takes seconds: deploys of one owner must not delay those of others. */
  private readonly finishInTurn = createFairQueue({
    width: FINISH_WIDTH,
    maxWaiting: MAX_WAITING,
    refused: tooMany,
  });
  private readonly stacksInTurn = createSemaphore(STACKS_WIDTH, MAX_WAITING);
  private readonly threads: Threads<Order, Reply> = createThreads(
    () => new Worker(new URL('./bundler.worker.ts', import.meta.url)),
  );

  /** Finds the version of a package in the registry's list. */
  pick(order: Tasks['pick']['order']): Promise<Manifest> {
    return this.ask('pick', order);
  }

  /** Reads the registry's document about one version. Undefined if it is about something else. */
  readVersion(order: Tasks['readVersion']['order']): Promise<Manifest | undefined> {
    return this.ask('readVersion', order);
  }

  /** Checks and unpacks a package. Undefined if it has another hash. */
  unpack(order: UnpackOrder): Promise<Unpacked | undefined> {
    return this.ask('unpack', order);
  }

  /** Takes the compiler's output apart. Owners take turns. */
  finish(owner: string, order: Tasks['finish']['order']): Promise<Output> {
    return this.ask('finish', order, (task) => this.finishInTurn(owner, task));
  }

  /** Looks for code that cannot run. */
  inspect(order: InspectOrder): Promise<Inspection> {
    return this.ask('inspect', order);
  }

  mapStacks(order: Tasks['mapStacks']['order']): Promise<string[]> {
    return this.ask('mapStacks', order, (task) => this.stacksInTurn(task, tooMany));
  }

  locate(order: Tasks['locate']['order']): Promise<ModuleLocation | undefined> {
    return this.ask('locate', order);
  }

  stop(): void {
    this.threads.stop();
  }

  private async ask<Kind extends Task>(
    task: Kind,
    order: Tasks[Kind]['order'],
    inTurn: InTurn = (run) => this.deploysInTurn(run, tooMany),
  ): Promise<Tasks[Kind]['reply']> {
    const reply = await inTurn(() =>
      this.threads.ask({ task, ...order } as Order, { failure: phrase('The code could not be compiled') }),
    );
    if ('refused' in reply)
      throw new PackageError(reply.refused.message, reply.refused.isOurs, reply.refused.specifier);
    return reply.result as Tasks[Kind]['reply'];
  }
}
