// The results of a tournament in the format of its run folder, and addresses of its games; see
// `TournamentResult.to_dict`.

export interface Rating {
  name: string;
  elo: number;
  low: number;
  high: number;
  games: number;
  score: number;
  perfect: boolean;
}

export interface Tally {
  games: number;
  wins: number;
  losses: number;
  draws: number;
}

export interface Meeting extends Tally {
  agent: string;
  against: string;
  score: number;
  interval: [number, number];
  seats: (Tally & { seat: number })[];
}

export interface Pairing {
  map: string;
  rules: string;
  entrants: string[];
  games: number;
  games_asked: number;
  wins: number[];
  draws: number;
  cut_off: number;
  mean_rounds: number;
  seconds: number;
}

export interface Time {
  name: string;
  answers: number;
  mean: number;
  slowest: number;
  late: number;
  simulations: number | null;
}

export interface Failure {
  contest: number;
  game: number;
  agent: string;
  round: number;
  kind: string;
  reason: string;
}

/** The faults of an agent in all its games, see `AgentFaultSummary`. */
export interface Faults {
  name: string;
  games: number;
  crashes: number;
  late_losses: number;
  forfeits: number;
  errors: number;
  late: number;
  missing: number;
  unreadable: number;
  other: number;
  illegal: { kind: string; count: number }[];
  reason: string;
  detail: string;
}

export interface Result {
  tournament: { name: string; on_crash: string; on_late: string; format: string; players: number; games: number; seed: number; clock: string; agents: { name: string; spec: string; clock: string }[] };
  games: number;
  running: boolean;
  interrupted: boolean;
  ratings: Rating[]; // best first; empty if the games so far give no ratings
  skills: { name: string; ordinal: number }[] | null;
  meetings: Meeting[];
  pairings: Pairing[];
  times: Time[];
  failures: Failure[];
  failed: number;
  fault_table: Faults[];
  age: number; // seconds since the result file was written
  logged: boolean;
}

export interface PlayedGame {
  contest: number;
  game: number;
  map: string;
  rules: string;
  seats: string[];
  places: number[]; // final places by seat
  rounds: number;
  cut_off: boolean;
  failures: { agent: string; round: number; reason: string }[];
  logged: boolean;
}

export const scoreOf = ({ games, wins, draws }: Tally): number => (wins + draws / 2) / games;

export const illegalOrders = (faults: Faults): number => faults.illegal.reduce((sum, { count }) => sum + count, 0);

export function pairAddress(name: string, agent: string, against: string): string {
  return `#/t/${encodeURIComponent(name)}?${new URLSearchParams({ agent, against })}`;
}

/** Return the address of a tournament game's replay, which starts at `round`. */
export function gameAddress(name: string, contest: number, game: number, round = 0): string {
  return `#/t/${encodeURIComponent(name)}/${contest}/${game}${round ? `?round=${round}` : ''}`;
}
