/** A task's state, normalized from the service's many words to four (description, section 3). */
export type TaskState = 'waiting' | 'running' | 'ready' | 'failed';

const words: Record<TaskState, string> = {
  waiting:
    'waiting pending queued queueing queuing inqueue enqueued submitted created accepted scheduled received new ' +
    'notstarted unstarted initialized initializing init starting todo 排队中 等待中 已提交',
  running:
    'running processing inprogress progressing generating rendering working started active executing ongoing doing ' +
    'busy uploading postprocessing preprocessing 处理中 生成中 进行中 运行中',
  ready:
    'ready succeeded succeed success successful completed complete done finished finish generated available ok ' +
    'ended 成功 已完成 完成',
  failed:
    'failed failure fail error errored cancelled canceled rejected refused expired timeout timedout aborted ' +
    'terminated stopped killed blocked moderated deleted invalid unsuccessful notfound 失败 已取消 已过期',
};

const states = new Map(
  Object.entries(words).flatMap(([state, list]) => list.split(' ').map((word) => [word, state as TaskState])),
);

/**
 * Normalizes the service's word for a state; ignores case and treats `-`, `_` and space alike. `undefined` if
 * unknown.
 */
export function taskState(word: string): TaskState | undefined {
  const plain = word.toLowerCase().replace(/[-_\s]/g, '');
  return states.get(plain) ?? states.get(plain.replace(/^(?:task|job)?(?:status|state)?/, ''));
}
