export * from './open-tracing.ts';
export * from './tracing.ts';
