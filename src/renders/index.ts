export type * from './dependencies.ts';
export * from './render.ts';
export * from './renders.ts';
export type * from './result/presenter.ts';
export { type RenderUnderWay, TooManyRendersError } from './under-way.ts';
