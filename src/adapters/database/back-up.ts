export { backUp } from '../../stores/sqlite/backup.ts';
