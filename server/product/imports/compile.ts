import { withPlace } from '../../../contract/errors.ts';
import { AppError } from '../../lib/errors.ts';
import { type Bundler, CompileError } from '../../runtime/bundler/index.ts';
import type { Component } from './recognise/plan.ts';

/** Compiles a component and its packages into one script for browsers. */
export async function compileComponent(
  bundler: Pick<Bundler, 'compile'>,
  ownerId: number,
  component: Component,
): Promise<string> {
  try {
    return (await bundler.compile(ownerId, component)).bundle;
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    if (error.isOurs)
      throw new AppError('UNAVAILABLE', '{message} Try again in a moment.', { message: error.message });
    throw new AppError('DEPLOY_FAILED', '{message}', { message: withPlace(error.message, error.location) });
  }
}
