import { type ComponentType, createContext, useContext } from 'react';
import { useTenant } from '../shell/routes.tsx';

// Webhooks and chat channels have the same views and operations of the same shapes.

export type Area = 'Webhooks' | 'Chat';

const AreaContext = createContext<Area>('Webhooks');

/** Whose endpoints the view shows: their operations, their address below the tenant, and rights. */
export function useArea() {
  const area = useContext(AreaContext);
  const { Slug, may } = useTenant();
  const name = area === 'Chat' ? 'chat' : 'webhooks';
  return {
    area,
    isChat: area === 'Chat',
    views: `/console/t/${Slug}/${name}`,
    mayWrite: may(`iam.${name}.write`),
  };
}

/** A view of webhooks as one of chat channels. */
export const ofChat = (View: ComponentType) => () => (
  <AreaContext value="Chat">
    <View />
  </AreaContext>
);
