import PlumbIO

/// How rasters behind URLs are fetched, for the whole process.
public enum RemoteRasters {
  /// How many requests are under way at once, at most; 8 unless set.
  public static var connections: Int {
    get { HTTPPool.shared.connections }
    set { HTTPPool.shared.connections = newValue }
  }
}
