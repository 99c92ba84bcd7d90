import type { Cluster } from '../tools.ts';

export type Images = { current: string; previous: string | undefined; deno: string | undefined };

/** A scenario is not tested where a program or an image for it is missing; it says which. */
export type Outcome = 'passed' | 'not tested';

export type Lab = {
  cluster: Cluster;
  images: Images;
  /** A cluster handle for another namespace, which is created now and removed with the first. */
  beside(name: string): Promise<Cluster>;
  say(line: string): void;
};
