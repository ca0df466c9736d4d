import { functionEndpoints } from '../../../contract/functions/endpoints.ts';
import { ApiError, call } from '../../api.ts';

/** Deletes the functions of a draft that nobody wants. Those that belong to another page by now stay. */
export async function discardFunctions(pageId: number, slugs: readonly string[]): Promise<void> {
  for (const slug of slugs) {
    const params = { slug };
    try {
      const { page } = await call(functionEndpoints.getFunction, { params });
      if (page && page.id !== pageId) continue;
      await call(functionEndpoints.deleteFunction, { params });
    } catch (error) {
      // Somebody has deleted it.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }
}
