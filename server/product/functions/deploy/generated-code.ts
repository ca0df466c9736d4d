import { translatable } from '../../../../contract/errors.ts';
import type { FunctionWarning } from '../../../../contract/functions/functions.ts';
import { type GeneratedCode, MAIN } from '../../../runtime/bundler/index.ts';

/** Warnings about code that makes code from text in a call. The runtime refuses that, but only when it happens. */
export function describeGenerated(generated: GeneratedCode[]): FunctionWarning[] {
  return generated.map((each) => {
    const by = each.by === 'eval' ? 'eval' : 'new Function';
    if ('packageName' in each)
      return {
        code: 'CODE_GENERATION',
        ...translatable(
          'The package {name} makes code from text with {by}. That works only while the module loads: do what needs it at the top level of the module, not in a call.',
          { name: each.packageName, by },
        ),
      };
    const { file, ...place } = each.location;
    return {
      code: 'CODE_GENERATION',
      ...translatable(
        '{by} works only while the module loads. Here it is in a function, where a call fails: do it at the top level of the module.',
        { by },
      ),
      ...place,
      ...(file !== MAIN && { file }),
    };
  });
}
