/** The components that all screens share. */
export { ACTION_GROUPS, describeAction, describePlace, nameActor } from './activity.ts';
export { Choice } from './choice.tsx';
export { Button, Form, IconButton } from './controls.tsx';
export { Copyable, CopyButton } from './copy.tsx';
export { Field, Select, Switch, TextField } from './fields.tsx';
export {
  formatAgo,
  formatBytes,
  formatCredits,
  formatDate,
  formatDuration,
  formatMoment,
  formatNumber,
  formatPercent,
  plural,
} from './format.ts';
export { Badge, ScreenHead, Section, TakenDownNotice } from './frame.tsx';
export { ICON_NAMES, Icon, type IconName } from './icons.tsx';
export { instance } from './instance.ts';
export { Keys } from './keys.tsx';
export { ACCESS_BADGES, ACCESS_NAMES } from './lists/access.ts';
export { PagePicture } from './lists/page-picture.tsx';
export { Pager } from './lists/pager.tsx';
export { type Column, Heading, Table } from './lists/table.tsx';
export { lazy } from './loading/chunk.tsx';
export {
  Empty,
  Failure,
  type Loaded,
  NotFound,
  Show,
  Skeleton,
  type SkeletonKind,
  useLoad,
} from './loading/load.tsx';
export { Progress } from './loading/progress.tsx';
export { useRefresh } from './loading/refresh.ts';
export { useSettled } from './loading/settled.ts';
export { Mark } from './mark.tsx';
export { Ask } from './overlays/ask.tsx';
export { ConfirmByTyping, ConfirmDialog, Dialog } from './overlays/dialog.tsx';
export { Menu, type MenuItem } from './overlays/menu.tsx';
export { say, Toasts } from './overlays/toasts.tsx';
export { Tooltips } from './overlays/tooltip.tsx';
export { saveFile } from './save.ts';
export { scopeMeaning } from './scopes.ts';
export { Settings } from './settings/index.tsx';
export { addShortcuts, isMac, keyNames, type Shortcut, shortcuts, useShortcuts } from './shortcuts.ts';
export { Tabs } from './tabs.tsx';
