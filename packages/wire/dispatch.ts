import { type Caller, positionHeader, replayedHeader } from '@bailiwick/contract';
import type { DescMethodUnary, Message } from '@bufbuild/protobuf';

/** Call metadata beside the messages. */
export type Exchange = {
  /** The client's key. Undefined without the header, or if the operation ignores it. */
  readonly idempotencyKey?: string | undefined;
  /** Set by the dispatch: the response is replayed from an earlier call with the same key. */
  replayed?: boolean;
  /** The positions of the client's last changes. */
  readonly positions?: string | undefined;
  /** Set by the dispatch: the position of the call's change. */
  newPosition?: string | undefined;
  /** All headers of a request over the wire. Handlers see none of them. */
  readonly requestHeaders?: () => Headers;
  /** More headers and trailers of the response over the wire, also of an error. */
  responseHeaders?: Headers;
  responseTrailers?: Headers;
};

/** The headers of a response that the dispatch has set. */
export const answerHeaders = ({ replayed, newPosition }: Exchange): Record<string, string> => ({
  ...(replayed && { [replayedHeader]: 'true' }),
  ...(newPosition !== undefined && { [positionHeader]: newPosition }),
});

/** Answers a call that a listener has received. @throws ServiceError */
export type Dispatch = (
  method: DescMethodUnary,
  request: Message,
  caller: Caller,
  signal: () => AbortSignal,
  exchange?: Exchange,
) => Promise<Message>;

/** The rpcs that a listener receives. */
export type Rpcs = ReadonlyMap<DescMethodUnary, unknown>;
