import type { Row } from '@bailiwick/client/import/mod.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { importRows, newProgress, type Progress } from './run.ts';

export type Run = {
  dryRun: boolean;
  progress: Progress;
  /** The number of the file's rows. */
  total: number;
};

/** Checks and imports the rows of a file. */
export function useImport(rows: readonly Row[]) {
  const queries = useQueryClient();
  const [run, setRun] = useState<Run>();
  const [isStopping, setStopping] = useState(false);
  const [isEnded, setEnded] = useState(false);
  const isStopped = useRef(false);
  const total = rows.length;
  const work = useMutation({
    mutationFn: ({ dryRun, progress }: Run) =>
      importRows({
        rows,
        dryRun,
        from: progress,
        isStopped: () => isStopped.current,
        onProgress: (next) => setRun({ dryRun, progress: next, total }),
      }),
    onSettled: () => {
      setStopping(false);
      return queries.invalidateQueries({ queryKey: ['Users_List'] });
    },
  });
  // No batch is sent for a view that is gone.
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );
  const start = (next: Run) => {
    isStopped.current = false;
    setEnded(false);
    setRun(next);
    work.mutate(next);
  };
  return {
    run,
    error: work.error,
    isBusy: work.isPending,
    isStopping,
    /** Whether a part of the rows was imported, and the rest was not. */
    isUnfinished:
      run !== undefined && !run.dryRun && run.progress.verdictCount < run.total && !isEnded,
    check: () => start({ dryRun: true, progress: newProgress(), total }),
    begin: () => start({ dryRun: false, progress: newProgress(), total }),
    goOn: () => run && start(run),
    /** Stops after the running call, so that every row that was sent has a verdict. */
    stop: () => {
      isStopped.current = true;
      setStopping(true);
    },
    /** Leaves the rest of the rows out. */
    end: () => setEnded(true),
    reset: () => {
      setRun(undefined);
      work.reset();
    },
  };
}

export type Import = ReturnType<typeof useImport>;
