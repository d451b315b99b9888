@_exported import PlumbCore
@_exported import PlumbExpressions
@_exported import PlumbFormats
@_exported import PlumbGeometry
@_exported import PlumbGeotriggers
@_exported import PlumbLayers
@_exported import PlumbNetwork
@_exported import PlumbRaster
