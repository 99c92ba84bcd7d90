import { serviceCaller } from '@bailiwick/call';
import { eventBody } from '@bailiwick/events';

const event = { id: 'evt_1', type: 'user.deleted', at: new Date(0), tenant: '' };
const body = eventBody({ caller: serviceCaller('identity') }, { ...event, data: { ID: 'usr_1' } });
console.log(JSON.parse(body).actor, JSON.parse(body).data);
