"""Recordings: named channels with units, written while a run goes on, safe against a crash.

    with Recorder(sim, "walk.gambol", every=1 / 60) as recorder:
        recorder.run(10.0)
    recording = Recording.open("walk.gambol")
    recording.dataset, recording.figures, recording.events, recording.report

The file is HDF5, one unlimited dimension `time`; h5py, xarray (engine h5netcdf), MATLAB and Julia read it as it is.
"""
