export { type Moved, moveToPostgres } from './move.ts';
