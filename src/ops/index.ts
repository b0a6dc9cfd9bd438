export * from './health.ts';
export * from './http-server.ts';
export * from './log.ts';
export * from './log-destination.ts';
export * from './metrics/index.ts';
export * from './stop-signals.ts';
export * from './tracing.ts';
export * from './uncaught.ts';
