/** Values as text: in CSV files, as people type them, and what is wrong with them. */
export { type CsvRow, csvCell, parseCsv, writeCsv } from './csv.ts';
export { readScalar, readScalars, type Scalar, writeScalar, writeScalars } from './scalars.ts';
