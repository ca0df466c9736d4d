/** The components that all screens share. */
export { Chart } from './chart.tsx';
export { Choice } from './choice.tsx';
export { Button, Form } from './controls.tsx';
export { Copyable } from './copy.tsx';
export { ConfirmByTyping, Dialog } from './dialog.tsx';
export { Field, Select, Switch, TextField } from './fields.tsx';
export { formatAgo, formatBytes, formatCredits, formatMoment, formatNumber, plural } from './format.ts';
export { Badge, ScreenHead, Section, Tabs } from './frame.tsx';
export { Empty, Failure, type Loaded, NotFound, Show, Skeleton, useLoad } from './load.tsx';
export { Pager } from './pager.tsx';
export { Progress } from './progress.tsx';
export { saveFile } from './save.ts';
export { useSettled } from './settled.ts';
export { type Column, Heading, Table } from './table.tsx';
export { say, Toasts } from './toasts.tsx';
