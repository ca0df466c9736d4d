import { setPriority } from 'node:os';
import { openPlace } from '../kept/open-place.ts';
import type { DrillOrder } from './drills.ts';
import { drillBackup } from './run-drill.ts';

/** A program: proves the backup that its input names, and prints the result. Others on the machine come first. */
setPriority(10);
process.umask(0o077);
const { name, settings, secret } = (await Bun.stdin.json()) as DrillOrder;
const { dataFolder } = settings;
const drill = await drillBackup(openPlace(settings), name, { dataFolder, secret, now: Date.now });
console.log(JSON.stringify(drill));
