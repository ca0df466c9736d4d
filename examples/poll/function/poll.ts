/** What people vote on. A new question starts with no votes. */

export const question = 'Where should we have the summer party?';

export const options = [
  { id: 'lake', text: 'At the lake', hint: 'Swimming, a fire, guitars' },
  { id: 'roof', text: 'On the roof', hint: 'City lights, close to home' },
  { id: 'garden', text: 'In the garden', hint: 'Long table, lanterns' },
  { id: 'boat', text: 'On a boat', hint: 'Music until the last pier' },
];
