import type { TemplateSummary } from '../../../contract/templates/templates.ts';

/** What a template looks like. */
export function TemplatePicture({ template: { picture } }: { template: TemplateSummary }) {
  return (
    <span class="page-template-picture">
      {picture && <img src={picture} alt="" width="800" height="500" loading="lazy" />}
    </span>
  );
}
