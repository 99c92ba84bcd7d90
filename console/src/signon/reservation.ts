import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';
import { useCall, useChange } from '../parts/calls.ts';

/** The values to enter at the provider. */
export type Addresses = { ID: string; RedirectURI: string; AcsURL: string; SpEntityID: string };

type Options = {
  /** The tenant of the new provider; "" = the platform. */
  tenant: string;
  /** The reserved ID, which is in the address of the page: a reload does not change the addresses. */
  id: string | undefined;
  /** Puts another ID, or none, into the address of the page. Is the same function at each call. */
  show: (id?: string) => void;
};

/** Reserves the ID of a new provider, and returns the addresses that follow from it. */
export function useReservation({ tenant, id, show }: Options) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { mutate, isIdle, error: reserveError } = useChange('Sso_ReserveProvider');
  const { data, error, refetch } = useCall(
    'Sso_ReserveProvider',
    { Tenant: tenant, ID: id ?? '' },
    { enabled: id !== undefined, staleTime: Number.POSITIVE_INFINITY },
  );
  const isGone = error?.Code === 'not_found';
  const reserve = useCallback(
    () => mutate({ Tenant: tenant }, { onSuccess: ({ Reservation }) => show(Reservation.ID) }),
    [mutate, show, tenant],
  );
  useEffect(() => {
    // A provider was saved with it, or it is too old.
    if (isGone) show();
    else if (id === undefined && isIdle) reserve();
  }, [isGone, id, isIdle, show, reserve]);
  return {
    addresses: data?.Reservation,
    error: isGone ? reserveError : (error ?? reserveError),
    retry: id === undefined ? reserve : () => void refetch(),
    /**
     * Opens the page of the saved provider. The ID is used up: to save with it again would change
     * the provider, so no way leads back to it.
     */
    open: async (to: string) => {
      await navigate({ to, replace: true });
      queries.removeQueries({ queryKey: ['Sso_ReserveProvider'] });
    },
  };
}
