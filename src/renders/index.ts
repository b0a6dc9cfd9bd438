export type * from './dependencies.ts';
export * from './render.ts';
export * from './renders.ts';
export type * from './result/presenter.ts';
export { TooManyRendersError } from './too-many.ts';
export type { RenderUnderWay } from './under-way.ts';
