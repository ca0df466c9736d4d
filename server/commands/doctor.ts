import type { Call } from '../../cli/command.ts';
import { EXIT } from '../../cli/usage.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { type Config, ConfigError, readConfig } from '../platform/config/index.ts';
import { CHECKS, type Finding } from './doctor-checks.ts';
import { unknownSettings } from './unknown-settings.ts';

/** `quire doctor`: checks everything that the server needs from this machine. */
export async function doctor(call: Call): Promise<void> {
  const { out } = call;
  const checks: Array<{ name: string } & Finding> = [];
  const note = (name: string, finding: Finding | undefined) => {
    if (!finding) return;
    checks.push({ name, ...finding });
    if (!out.isJson) out.item(undefined, show(name, finding));
  };
  const paint = { ok: out.paint.green, warn: out.paint.yellow, fail: out.paint.red };
  const show = (name: string, { status, message, todo }: Finding) =>
    `${paint[status](status.padEnd(4))}  ${name.padEnd(12)}  ${message}${todo ? `\n                    ${todo}` : ''}`;

  note('quire', { status: 'ok', message: packageJson.version });
  const { config, finding } = readSettings(call);
  note('settings', finding);
  for (const [name, check] of Object.entries(CHECKS)) note(name, await check(config));
  const isWell = checks.every(({ status }) => status !== 'fail');
  if (out.isJson) out.result({ ok: isWell, checks }, '');
  if (!isWell) call.exitWith(EXIT.failed);
}

/** The settings, or the defaults if they are invalid, so the other checks can run. */
function readSettings({ environment }: Call): { config: Config; finding: Finding } {
  try {
    const config = readConfig(environment);
    const unknown = unknownSettings(environment);
    if (unknown.length === 0) return { config, finding: { status: 'ok', message: 'valid' } };
    const todo = 'Correct or remove them.';
    return { config, finding: { status: 'warn', message: unknown.join(' '), todo } };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const message = error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim())
      .join('; ');
    return {
      config: readConfig({}),
      finding: { status: 'fail', message, todo: 'Correct them. The other checks used the defaults.' },
    };
  }
}
