export type * from './parts.ts';
export type * from './presenter.ts';
export type * from './render.ts';
export * from './renders.ts';
export { Spool } from './spool.ts';
