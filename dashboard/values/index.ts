/** Values as text: in CSV files, and as people type them. */
export { type CsvRow, csvCell, parseCsv, writeCsv } from './csv.ts';
export { readScalar, readScalars, type Scalar, writeScalar, writeScalars } from './scalars.ts';
