const { contextBridge, ipcRenderer } = require("electron");

contextBridge.exposeInMainWorld("answer", (text) => ipcRenderer.send("tag", text));
