import type { FirstStep, FirstSteps } from '../../../../contract/admin/first-steps.ts';
import type { AdminContext } from '../context.ts';

/** What the administrator of a new server does first, and what is done. */
export async function readFirstSteps(context: AdminContext): Promise<FirstSteps> {
  const { instance, providers, users, serviceSettings } = context;
  const { name, color, logo } = instance.current;
  const entries = providers();
  const [backups, { total: administrators }, isHidden] = await Promise.all([
    serviceSettings.lastBackups(),
    users.list({ administrators: 'true', limit: 1, offset: 0, sort: 'newest' }),
    serviceSettings.areFirstStepsHidden(),
  ]);
  const done: Record<FirstStep, boolean> = {
    look: name !== 'Quire' || color !== null || logo !== null,
    model: entries.chat.state === 'configured',
    mail: entries.mail.state === 'configured',
    backup: context.hasBackupSchedule || backups.complete !== undefined,
    administrator: administrators > 1,
  };
  const steps = Object.entries(done).map(([step, isDone]) => ({ name: step as FirstStep, isDone }));
  return { steps, isHidden };
}
