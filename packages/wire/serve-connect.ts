import { idempotencyKeyHeader, positionHeader } from '@bailiwick/contract';
import { continueTrace, traceparentHeader } from '@bailiwick/process';
import { Health } from '@bailiwick/proto/gen/grpc/health/v1/health_pb.ts';
import { createRegistry, type DescMethodUnary, type DescService } from '@bufbuild/protobuf';
import type { ConnectRouter, HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { callerHeader } from './caller-tokens.ts';
import { answerHeaders, type Dispatch, type Exchange } from './dispatch.ts';
import { type HealthState, healthHandlers } from './health.ts';
import { maxBodyBytes, type RpcServerOptions, type StockHandler, wireError } from './serve.ts';

// Serves stock clients with connect-node, over the same pipeline. Loaded when the first such client
// connects.

type StockOptions = Pick<RpcServerOptions, 'routes' | 'dispatch' | 'verify'> & {
  health: HealthState;
};

/**
 * Serves a process's services to Connect, gRPC and gRPC-web clients, with the standard health
 * service.
 */
export function createStockHandler({
  routes,
  dispatch,
  verify,
  health,
}: StockOptions): StockHandler {
  const services = new Set([...routes.keys()].map((method) => method.parent));
  return connectNodeAdapter({
    readMaxBytes: maxBodyBytes,
    // In JSON the type of a message in an Any has to be known.
    jsonOptions: { registry: createRegistry(...[...services].map(({ file }) => file)) },
    routes(router: ConnectRouter) {
      for (const service of services)
        router.service(service, implementation(service, dispatch, verify));
      router.service(
        Health,
        healthHandlers(health, new Set([...services].map((service) => service.typeName))),
      );
    },
  });
}

function implementation(
  service: DescService,
  dispatch: Dispatch,
  verify: RpcServerOptions['verify'],
): ServiceImpl<DescService> {
  const handlers = service.methods.map((method) => [
    method.localName,
    async (
      request: never,
      { requestHeader, responseHeader, responseTrailer, signal }: HandlerContext,
    ) => {
      const exchange: Exchange = {
        idempotencyKey: requestHeader.get(idempotencyKeyHeader) ?? undefined,
        positions: requestHeader.get(positionHeader) ?? undefined,
        requestHeaders: () => requestHeader,
      };
      try {
        const caller = verify(
          requestHeader.get(callerHeader) ?? undefined,
          method as DescMethodUnary,
        );
        const respond = dispatch.bind(
          undefined,
          method as DescMethodUnary,
          request,
          caller,
          () => signal,
          exchange,
        );
        return await continueTrace(requestHeader.get(traceparentHeader) ?? undefined, respond);
      } catch (error) {
        throw wireError(error, signal.aborted);
      } finally {
        for (const [name, value] of Object.entries(answerHeaders(exchange)))
          responseHeader.set(name, value);
        exchange.responseHeaders?.forEach((value, name) => responseHeader.append(name, value));
        exchange.responseTrailers?.forEach((value, name) => responseTrailer.append(name, value));
      }
    },
  ]);
  return Object.fromEntries(handlers) as ServiceImpl<DescService>;
}
