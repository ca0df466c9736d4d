import { useId, useState } from 'preact/hooks';
import type { TemplateSummary } from '../../../contract/templates/templates.ts';
import { t, translated } from '../../texts/index.ts';
import { Badge, Choice, Empty, Show, useLoad } from '../../ui/index.ts';
import { listTemplates } from './api.ts';
import { TemplatePicture } from './picture.tsx';
import { TemplateDialog } from './template-dialog.tsx';

type Category = TemplateSummary['category'] | 'all';

const categories = (): ReadonlyArray<readonly [Category, string]> => [
  ['all', t('All')],
  ['start', t('First steps')],
  ['people', t('With visitors')],
  ['work', t('Work')],
  ['class', t('Class')],
  ['play', t('Play')],
];

/** What a template has, in words. */
const partNames = (): Record<TemplateSummary['parts'][number], string> => ({
  form: t('Form'),
  function: t('Function'),
  database: t('Database'),
  data: t('Data'),
  team: t('Team'),
  live: t('Live'),
  schedule: t('Schedule'),
  ai: t('AI'),
});

/** All templates, to choose one. */
export function TemplateGallery() {
  const loaded = useLoad(listTemplates, []);
  const [category, setCategory] = useState<Category>('all');
  const [chosen, setChosen] = useState<TemplateSummary>();
  return (
    <Show loaded={loaded} skeleton={<Cards />}>
      {(templates) => {
        const used = categories().filter(
          ([value]) => value === 'all' || templates.some((each) => each.category === value),
        );
        const shown = templates.filter((each) => category === 'all' || each.category === category);
        return (
          <>
            <Choice label={t('Kind of page')} value={category} options={used} onChoose={setCategory} />
            {templates.length === 0 && (
              <Empty title={t('No templates')}>
                {t('This server has none. Import what you have made elsewhere.')}
              </Empty>
            )}
            <ul class="page-templates">
              {shown.map((template) => (
                <TemplateCard key={template.key} template={template} onChoose={() => setChosen(template)} />
              ))}
            </ul>
            {chosen && <TemplateDialog template={chosen} onClose={() => setChosen(undefined)} />}
          </>
        );
      }}
    </Show>
  );
}

function TemplateCard({ template, onChoose }: { template: TemplateSummary; onChoose: () => void }) {
  const id = useId();
  const names = partNames();
  return (
    <li class="page-template">
      <TemplatePicture template={template} />
      <div>
        <button type="button" aria-describedby={id} onClick={onChoose}>
          {translated({ text: template.title })}
        </button>
        <p id={id}>{translated({ text: template.description })}</p>
        <p class="page-badges">
          {template.parts.map((part) => (
            <Badge key={part}>{names[part]}</Badge>
          ))}
        </p>
      </div>
    </li>
  );
}

/** As many empty cards as fill the first rows. */
function Cards() {
  return (
    <div class="page-templates" role="status" aria-label={t('Loading')}>
      {[1, 2, 3, 4, 5, 6].map((number) => (
        <div key={number} class="page-template skeleton" />
      ))}
    </div>
  );
}
