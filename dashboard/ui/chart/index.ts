/** Charts and numbers over time. */
export { Chart, ChartSkeleton } from './chart.tsx';
export { type Figure, Figures } from './figures.tsx';
export { momentText, type Series } from './series.ts';
