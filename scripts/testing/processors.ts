import { type CpuInfo, cpus } from 'node:os';

type Times = Pick<CpuInfo, 'times'>[];

/**
 * How busy the processors are from now on, in percent. If they are idle for much of a run, more workers make it faster;
 * otherwise only less work does.
 */
export function watchProcessors(read: () => Times = cpus): () => number {
  const before = sum(read());
  return () => {
    const after = sum(read());
    const passed = after.all - before.all;
    return passed > 0 ? Math.round(100 - (100 * (after.idle - before.idle)) / passed) : 0;
  };
}

function sum(processors: Times): { idle: number; all: number } {
  const times = processors.map(({ times }) => times);
  const idle = times.reduce((total, each) => total + each.idle, 0);
  const busy = times.reduce((total, { user, nice, sys, irq }) => total + user + nice + sys + irq, 0);
  return { idle, all: idle + busy };
}
