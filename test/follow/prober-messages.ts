import process from 'node:process';

// The options of a prober, and its messages.

export type Probe = { tenant: string; subject: string; permission: string; resource: string };

export type ProberOptions = {
  urls: readonly string[];
  credential: string;
  followers: number;
  probes: readonly Probe[];
};

/** `lastAllowed`: by probe, in ms of the machine's monotonic clock; 0 = never. */
export type Report = { lastAllowed: number[]; probes: number; unknown: number };

export type ProberMessage = { type: 'ready' } | { type: 'report'; report: Report };

/** The clock that all processes of the machine share. */
export const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6;
