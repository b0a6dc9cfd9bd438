export * from './http-server.ts';
export * from './log.ts';
export * from './metrics.ts';
export * from './stop-signals.ts';
export * from './tracing.ts';
