import { environment } from "biplane";

export default environment({
  name: "lamp",
  version: "1.0.0",
  start: () => ({ isOn: false as boolean }),
  observe: (lamp) => lamp,
  tools: (tool) => ({
    press: tool({
      run: (_, { state }) => {
        state.isOn = !state.isOn;
      },
    }),
  }),
});
