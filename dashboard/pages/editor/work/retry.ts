import { ApiError } from '../../../api.ts';

/** How often a change is tried again after someone else saved a version meanwhile. */
const MAX_ATTEMPTS = 3;

/** Tries again, on top of the newest version, if someone else saved one meanwhile. */
export async function retryOnConflict(
  known: { refresh(): Promise<unknown> },
  work: () => Promise<unknown>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error;
      await known.refresh();
    }
  }
}

const isConflict = (error: unknown) =>
  error instanceof ApiError &&
  error.status === 409 &&
  (error.body.currentVersion !== undefined || error.body.currentRevision !== undefined);
