export type * from './dependencies.ts';
export * from './render.ts';
export * from './renders.ts';
export type * from './result/presenter.ts';
export { Spool } from './result/spool.ts';
