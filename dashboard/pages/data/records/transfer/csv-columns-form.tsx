import { MAX_FIELD_NAME } from '../../../../../contract/rules/limits.ts';
import { t } from '../../../../texts/index.ts';
import { Select, TextField } from '../../../../ui/index.ts';
import type { CellType, CsvColumn } from './csv-columns.ts';

interface Props {
  columns: CsvColumn[];
  onChange: (columns: CsvColumn[]) => void;
}

const listTypes = (): Array<readonly [CellType | 'skip', string]> => [
  ['text', t('Text')],
  ['number', t('Number')],
  ['boolean', t('Yes or no')],
  ['json', 'JSON'],
  ['skip', t('Leave out')],
];

/** Which field each column of a CSV file becomes, and its type. */
export function CsvColumns({ columns, onChange }: Props) {
  return (
    <fieldset class="csv-columns">
      <legend>{t('Columns of the file')}</legend>
      <ul>
        {columns.map((column, at) => {
          const name = column.title || t('Column {number}', { number: at + 1 });
          const change = (changed: Partial<CsvColumn>) =>
            onChange(columns.with(at, { ...column, ...changed }));
          return (
            <li key={at}>
              <code title={name}>{name}</code>
              <TextField
                label={t('Field for {name}', { name })}
                hideLabel
                mono
                placeholder={t('left out')}
                value={column.field}
                maxLength={MAX_FIELD_NAME}
                onInput={(field) => change({ field })}
              />
              <Select
                label={t('Type of {name}', { name })}
                hideLabel
                value={column.field === '' ? 'skip' : column.type}
                options={listTypes()}
                onChange={(type) =>
                  change(type === 'skip' ? { field: '' } : { type, field: column.field || column.title })
                }
              />
            </li>
          );
        })}
      </ul>
    </fieldset>
  );
}
